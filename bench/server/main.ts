/**
 * Compares the server with a plain byte relay, end to end. Upstream, relay, server and load client are separate
 * processes on loopback, the servers take turns, and nearly every figure is a ratio to the relay in the same run.
 *
 *     npm run bench:host                      a table of figures; minutes on an idle machine
 *     npm run -s bench:host -- --json         a JSON object a line: {"case","value","unit"}
 *     npm run bench:host -- --base DIR        also the server of another build, whose figures end with "base"
 *     npm run bench:host -- bursts paced      only these parts: requests, bursts, first, paced, passed, memory, sockets,
 *                                             socket-bursts, costs
 */
import { parseArgs } from 'node:util'
import { type Figure, openReport } from '../figure.ts'
import { bursts, requests, warm } from './bursts.ts'
import { close } from './client.ts'
import { costs } from './costs.ts'
import { type Endpoints, openEndpoints, withPath } from './endpoints.ts'
import { firstBytes } from './first-bytes.ts'
import { memory, pacedStreams } from './paced.ts'
import { socketBursts, sockets } from './sockets.ts'

const warmAll = async ({ served }: Endpoints): Promise<void> => {
  for (const endpoint of served.values()) await warm(endpoint)
}

/** Clients of chat completions, whose upstream has the same protocol: nothing is translated. */
async function passed(endpoints: Endpoints): Promise<readonly Figure[]> {
  const chat = withPath(endpoints, '/api/v1/chat/completions')
  await warmAll(chat)
  const figures = [...(await requests(chat)), ...(await bursts(chat)), ...(await pacedStreams(chat))]
  return figures.map((figure) => ({ ...figure, case: `passed through: ${figure.case}` }))
}

const PARTS: Readonly<Record<string, (endpoints: Endpoints) => Promise<readonly Figure[]>>> = {
  requests,
  bursts,
  first: firstBytes,
  paced: pacedStreams,
  passed,
  memory,
  sockets,
  'socket-bursts': socketBursts,
  costs,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, base: { type: 'string' } },
})
const endpoints = await openEndpoints(values.base)
const parts = Object.entries(PARTS).filter(([name]) => positionals.length === 0 || positionals.includes(name))
// `passed` warms up its own path, and uses no other.
if (parts.some(([, part]) => part !== passed)) await warmAll(endpoints)
const report = openReport('lower is better')
for (const [, part] of parts) {
  for (const figure of await part(endpoints)) report(figure)
}
await close()
process.exit()
