import { beforeEach } from 'vitest'
import { useDoor } from './doors.ts'

useDoor('fetch')

/** Tests of what only the server of Node has: part of the file, part of the full name of the test, and the reason. */
const OF_THE_SERVER: readonly (readonly [file: string, name: RegExp, reason: string])[] = [
  ['auth/rate-limit', /in Redis/, 'a connection to Redis'],
  ['clients/clients', /pauses the upstream, and receives/, 'a hold of the socket, which `fetch` of Node does not have'],
  ['clients/compliance', /websocket-/, 'WebSockets'],
  ['search/', /if the server stops/, 'a server that stops'],
  ['server/cross-site', /own name in Host/, 'a server on loopback, whose name is known'],
  ['server/http-semantics', /unexpected 100 Continue/, 'a transport that ignores interim answers'],
  ['server/http-semantics', /compressed error body/, 'a transport that does not decode'],
  ['server/http-semantics', /contradictory headers/, 'raw headers'],
  ['upstream/answer-ends', /WebSocket/, 'WebSockets'],
  ['upstream/end-time', /WebSocket/, 'WebSockets'],
  ['telemetry/delivery', /many traces in one/, 'batches of several requests'],
  ['telemetry/delivery', /silent/, 'a queue that several requests share'],
  ['telemetry/delivery', /unreadable|embedder's own store/, 'stores of destinations'],
  ['telemetry/delivery', /when the server drains/, 'a server that stops'],
  ['telemetry/destinations', /if its store throws|no valid URL/, 'stores, and request targets that are no URL'],
]

beforeEach(({ task, skip }) => {
  const name = fullNameOf(task)
  const found = OF_THE_SERVER.find(([file, pattern]) => task.file.name.includes(file) && pattern.test(name))
  if (found !== undefined) skip(found[2])
})

interface Named {
  readonly name: string
  readonly suite?: Named | undefined
}

const fullNameOf = ({ name, suite }: Named): string => (suite === undefined ? name : `${fullNameOf(suite)} > ${name}`)
