-- What 'tare env' prints, of a machine that is made up.
local advice = require "tare.env.advice"
local command = require "tare.cli.env"
local noise = require "tare.env.noise"
local stdout = require "tare.cli.stdout"

describe("the command 'env'", function()
  local kept = { findings = advice.findings, sample = noise.sample,
    write = stdout.write }
  after_each(function()
    advice.findings, noise.sample, stdout.write = kept.findings, kept.sample,
      kept.write
  end)

  -- What it prints below the facts, where this is found.
  local function ending(findings)
    local text
    advice.findings = function() return findings end
    noise.sample = function() return nil, "not here" end
    stdout.write = function(given)
      text = given
      return true
    end
    assert.equal(0, (command.run {}))
    return text:match "\n\n(.*)$"
  end

  it("ends with its advice, a line each, or with a line that there is none",
    function()
      local warning = { level = "warn", finding = "it is hot",
        advice = "wait" }
      local note = { level = "note", finding = "it is old",
        advice = "buy one" }
      assert.equal("Nothing to advise.\n", ending {})
      assert.equal("note: it is old: buy one.\n", ending { note })
      assert.equal("warning: it is hot: wait.\nnote: it is old: buy one.\n",
        ending { warning, note })
    end)
end)
