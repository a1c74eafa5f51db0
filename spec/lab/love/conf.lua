function love.conf(t)
  t.identity = "tare-lab"
  t.window.title = "tare in a game, for long"
  t.window.width, t.window.height = 640, 360
  t.window.vsync = 0 -- frames are paced here: there is no screen
  t.modules.audio, t.modules.joystick = false, false
end
