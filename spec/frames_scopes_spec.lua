-- Parts of frames: their times, budgets, and what is refused.
local core = require "tare.core"
local tare = require "tare"

local function made_up(given)
  given = given or {}
  given.meter = core.meter { manual_tick_ns = 1 }
  return tare.frames(given), given.meter
end

describe("scopes of frames", function()
  it("have their time in each frame, inner ones too", function()
    local recorder, meter = made_up { scopes = { update = 6, ai = 2 } }
    local update, ai = recorder:scope "update", recorder:scope "ai"
    local draw = recorder:scope("draw", 8)
    for i = 1, 100 do
      recorder:begin()
      recorder:enter(update)
      meter:advance(1e6)
      for _ = 1, 2 do
        recorder:enter(ai)
        meter:advance(i % 10 == 0 and 4e6 or 0.5e6)
        recorder:leave(ai)
      end
      recorder:leave(update)
      if i > 50 then
        recorder:enter(draw)
        meter:advance(3e6)
        recorder:leave(draw)
      end
      recorder:finish()
    end
    local said, by_name = recorder:result(), {}
    for _, scope in ipairs(said.scopes) do by_name[scope.name] = scope end
    assert.equal(3, #said.scopes)
    assert.equal(200, by_name.ai.calls)
    assert.equal(100, by_name.ai.frames)
    assert.near_relative(1, by_name.ai.p50, 0.005)
    assert.equal(8, by_name.ai.max)
    assert.equal(10, by_name.ai.over.frames)
    assert.equal(2, by_name.ai.budget_ms)
    assert.near_relative(2, by_name.update.p50, 0.005)
    assert.equal(10, by_name.update.over.frames)
    assert.equal(50, by_name.draw.frames)
    assert.near_relative(150 / said.total_ms, by_name.draw.share, 1e-9)
    -- The worst frames were slow in 'ai' itself, not in what is around it.
    assert.equal("ai", said.worst[1].scope)
  end)

  it("are not blamed for a frame that was longer outside of them all",
    function()
      local recorder, meter = made_up()
      local tiny = recorder:scope "tiny"
      for _, inside_ns in ipairs { 1e4, 3e7 } do
        recorder:begin()
        recorder:enter(tiny)
        meter:advance(inside_ns)
        recorder:leave(tiny)
        meter:advance(2e7)
        recorder:finish()
      end
      local worst = recorder:result().worst
      assert.same({ 50, "tiny" }, { worst[1].ms, worst[1].scope })
      assert.is_nil(worst[2].scope)
    end)

  it("count the collections that ended in them, and what they left", function()
    local recorder = made_up()
    local load, rest = recorder:scope "load", recorder:scope "rest"
    local kept
    collectgarbage "stop"
    recorder:begin()
    recorder:enter(load)
    kept = {}
    for i = 1, 1e5 do kept[i] = i end -- a string may lie outside of the heap
    recorder:leave(load)
    recorder:enter(rest)
    collectgarbage()
    recorder:leave(rest)
    recorder:finish()
    collectgarbage "restart"
    local scopes = recorder:result().scopes
    assert.equal(1e5, #kept)
    assert.is_true(scopes[1].grown_bytes >= 1e6)
    assert.equal(0, scopes[1].collections)
    assert.equal(1, scopes[2].collections)
  end)

  it("of a frame that did not finish count nowhere", function()
    local recorder, meter = made_up()
    local ai = recorder:scope "ai"
    local function frame(kept)
      recorder:begin()
      recorder:enter(ai)
      meter:advance(1e6)
      for i = 1, 100 do kept[i] = { i } end
      recorder:leave(ai)
    end
    collectgarbage "stop"
    frame({})
    recorder:finish()
    local alone = recorder:result().scopes[1].grown_bytes
    frame({}) -- an error came before its end
    frame({})
    recorder:finish()
    collectgarbage "restart"
    local said = recorder:result().scopes[1]
    assert.same({ 2, 2 }, { said.calls, said.frames })
    assert.near_relative(alone, said.grown_bytes, 0.1)
  end)

  it("that do not match are an error, and the next frame is sound", function()
    local recorder, meter = made_up()
    local a, b = recorder:scope "a", recorder:scope "b"
    local function refuses(pattern, method, handle)
      assert.error_matches(function() recorder[method](recorder, handle) end,
        pattern)
    end
    refuses("a scope began outside of a frame", "enter", a)
    refuses("a scope ended that had not begun", "leave", a)
    recorder:begin()
    refuses("there is no such scope", "enter", 3)
    refuses("there is no such scope", "enter", "a")
    recorder:enter(a)
    refuses("a scope began that is open", "enter", a)
    recorder:enter(b)
    refuses("not the last one that began", "leave", a)
    refuses("a frame ended while a scope is open", "finish")
    assert.is_nil(recorder:result())
    recorder:begin() -- the one before is none
    recorder:enter(a)
    meter:advance(5e6)
    recorder:leave(a)
    recorder:finish()
    local said = recorder:result()
    assert.equal(1, said.frames)
    assert.equal(5, said.scopes[1].max)
    assert.equal(0, said.scopes[2].frames)
  end)

  it("are in the text of the frames, with the worst and the marks", function()
    local recorder, meter = made_up { scopes = { ai = 2 }, frames = 10 }
    local ai = recorder:scope "ai"
    recorder:mark "level\0271"
    for i = 1, 100 do
      recorder:begin()
      recorder:enter(ai)
      meter:advance(i == 40 and 50e6 or 1e6)
      recorder:leave(ai)
      recorder:finish()
    end
    local text = tare.render(recorder:result(), "text")
    local line = {} -- by its first words
    for name, rest in text:gmatch("\n +([%w%%., ]-)  +([^\n]+)") do
      line[name] = rest
    end
    assert.matches("^100 frames in 149 ms .* budget 16%.7 ms", text)
    assert.matches("^1, 1%.00 %%", line["over the budget"])
    assert.matches("^1, 1%.00 %%", line.stutters)
    assert.equal("49.0 ms", line["lost by them"])
    assert.equal("60 frames, 60.0 ms", line["longest run within the budget"])
    assert.matches("^50%.0 ms +39%.0 ms +1%.00 ms +ai$", line["40"])
    assert.matches("50%.0 ms +100%% +1%.00 %% over 2%.00 ms", line.ai)
    assert.matches("\\x1b1 +0 ns +100 +1%.49 ms +50%.0 ms +1%.00 %%", text)
    recorder:mark "all well"
    recorder:push(1e6)
    local colored = tare.render(recorder:result(), "text", { color = true })
    local warn = "\27%[33m1%.00 %%\27%[0m"
    assert.matches("\\x1b1 .-50%.0 ms +" .. warn, colored)
    assert.matches("\n +all well +[^\27\n]*0 %%", colored)
    assert.matches("over the budget[^\n]-\27%[33m1, ", colored)
    local within = tare.frames { budget_ms = 2 }
    within:push(1e6)
    assert.matches("over the budget[^\n\27]-\27?%[?0?m? +0, ",
      tare.render(within:result(), "text", { color = true }))
    assert.matches("one by one there are the last 10%.", text)
    assert.is_nil(text:find("\027", 1, true))
    assert.error_matches(function() tare.render(recorder, "junit") end,
      "tare.render: frames can't be rendered as 'junit'; there are: csv, html")
    assert.error_matches(function() tare.render(recorder, "pdf") end,
      "tare.render: no format 'pdf'; there are: csv, html, json, markdown, "
      .. "perfetto, text$")
  end)

  it("keep their budget until they are given another", function()
    local recorder, meter = made_up { scopes = { ai = 2 } }
    local ai = recorder:scope "ai"
    for i, budget_ms in ipairs { 0, 7, 0, 0.5 } do -- 0: none is given
      if budget_ms > 0 then
        assert.equal(ai, recorder:scope("ai", budget_ms))
      end
      recorder:begin()
      recorder:enter(ai)
      meter:advance(({ 3e6, 6e6, 8e6, 1e6 })[i])
      recorder:leave(ai)
      recorder:finish()
      local scope = recorder:result().scopes[1]
      assert.equal(({ 2, 7, 7, 0.5 })[i], scope.budget_ms)
      assert.equal(({ 1, 1, 2, 3 })[i], scope.over.frames)
    end
  end)

  it("answer with nothing where there is nothing to say", function()
    local recorder = made_up()
    local scope = recorder:scope "scope"
    for _, call in ipairs { { "begin" }, { "enter", scope },
      { "leave", scope }, { "finish", 1e6 }, { "push", 2e6, 1e6 },
      { "mark", "here" }, { "__gc" }, { "__gc" } } do
      assert.equal(0, select("#", recorder[call[1]](recorder, call[2],
        call[3])), call[1])
    end
  end)

  it("are at most 32, with names and budgets that can be", function()
    local recorder = made_up()
    for i = 1, 32 do recorder:scope("scope " .. i) end
    assert.equal(recorder:scope "scope 32", recorder:scope("scope 32", 3))
    assert.error_matches(function() recorder:scope "another" end,
      "32 scopes at most")
    assert.error_matches(function() recorder:scope("scope 1", -1) end,
      "the budget must be a positive number")
    assert.error_matches(function() tare.frames { scopes = { "ai" } } end,
      "'scopes' must be a table of at most 32 names and their budgets")
    local budgets = {}
    for i = 1, 32 do budgets["scope " .. i] = i end
    recorder = tare.frames { scopes = budgets }
    assert.error_matches(function() recorder:scope "another" end,
      "32 scopes at most")
    budgets.another = 1
    assert.error_matches(function() tare.frames { scopes = budgets } end,
      "'scopes' must be a table of at most 32 names and their budgets")
  end)
end)
