function love.conf(t)
  t.identity = "tare-example"
  t.window.title = "tare in a game"
  t.window.width, t.window.height = 900, 420
  t.modules.audio, t.modules.joystick = false, false
end
