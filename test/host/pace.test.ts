import { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createPace } from '../../src/host/pace.ts'

it.each([
  ['bytes', 64 * 1024, 4],
  ['chunks', 1, 4096],
] as const)('a connection that delivers many %s is paused for the rest of the turn', async (_, size, count) => {
  const socket = new Socket()
  const pace = createPace(socket)
  for (let turn = 0; turn < 3; turn += 1) {
    for (let sent = 0; sent < count - 1; sent += 1) pace(size)
    expect(socket.isPaused()).toBe(false)
    pace(size)
    expect(socket.isPaused()).toBe(true)
    await nextTurn()
    expect(socket.isPaused()).toBe(false)
  }
})
