import { beforeEach } from 'vitest'
import { useDoor } from './doors.ts'

useDoor('fetch')

/** Tests of what only the server of Node has: part of the file, part of the full name of the test, and the reason. */
const OF_THE_SERVER: readonly (readonly [file: string, name: RegExp, reason: string])[] = [
  ['auth/rate-limit', /in Redis/, 'a connection to Redis'],
  ['clients/compliance', /websocket-/, 'WebSockets'],
  ['clients/token-counts', /and the metrics/, '/metrics'],
  ['search/', /if the server stops/, 'a server that stops'],
  ['server/cors', /refuses other origins/, '/metrics'],
  ['server/cross-site', /own name in Host/, 'a server on loopback, whose name is known'],
  ['server/http-semantics', /unexpected 100 Continue/, 'a transport that ignores interim answers'],
  ['server/http-semantics', /compressed error body/, 'a transport that does not decode'],
  ['server/http-semantics', /contradictory headers/, 'raw headers'],
  ['server/upgrade', /./, 'connections'],
  ['server/request-limits', /path that is too long/, 'request targets that are no URL'],
  ['server/requests', /needs a known path/, 'the page'],
  ['telemetry/delivery', /many traces in one|unreadable|silent/, 'batches of several requests'],
  ['telemetry/delivery', /embedder's own store/, 'stores of destinations'],
  ['telemetry/delivery', /when the server drains/, 'a server that stops'],
  ['telemetry/delivery', /that (?:fails|refuses|redirects)|only traces that pass/, '/metrics'],
  ['telemetry/destinations', /if its store throws|no valid URL/, 'stores, and request targets that are no URL'],
  ['telemetry/forward', /without a valid key/, '/metrics'],
  ['upstream/fallback', /the metrics|retry budget/, '/metrics'],
  ['upstream/retry-budget', /bounds the retries|separate for each|a failing model/, '/metrics'],
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
