/**
 * Compares the server with a plain byte relay, end to end. Upstream, relay, server and load client are separate
 * processes on loopback, the two servers take turns, and every figure but memory is a ratio to the relay in the same
 * run.
 *
 *     npm run bench:host                      a table of figures; minutes on an idle machine
 *     npm run -s bench:host -- --json         a JSON object a line: {"case","value","unit"}
 *     npm run bench:host -- --quick           fewer rounds
 *     npm run bench:host -- bursts paced      only these parts: bursts, first, paced, passed, memory, sockets
 */
import { type Figure, openReport } from '../figure.ts'
import { bursts, warm } from './bursts.ts'
import { close } from './client.ts'
import { type Endpoints, openEndpoints, SERVED } from './endpoints.ts'
import { firstBytes } from './first-bytes.ts'
import { memory, pacedStreams } from './paced.ts'
import { sockets } from './sockets.ts'

/** Clients of chat completions, whose upstream has the same protocol: nothing is translated. */
async function passed(endpoints: Endpoints, isQuick: boolean): Promise<readonly Figure[]> {
  const { server } = endpoints
  const chat = { ...endpoints, server: { ...server, url: new URL('/api/v1/chat/completions', server.url).href } }
  await warm(chat.server)
  const figures = [...(await bursts(chat, isQuick)), ...(await pacedStreams(chat, isQuick))]
  return figures.map((figure) => ({ ...figure, case: `passed through: ${figure.case}` }))
}

const PARTS: Readonly<Record<string, (endpoints: Endpoints, isQuick: boolean) => Promise<readonly Figure[]>>> = {
  bursts,
  first: firstBytes,
  paced: pacedStreams,
  passed,
  memory,
  sockets,
}

async function main(words: readonly string[]): Promise<void> {
  const named = words.filter((word) => Object.hasOwn(PARTS, word))
  const endpoints = await openEndpoints()
  for (const name of SERVED) await warm(endpoints[name])
  const report = openReport('lower is better')
  for (const [name, part] of Object.entries(PARTS)) {
    if (named.length > 0 && !named.includes(name)) continue
    for (const figure of await part(endpoints, words.includes('--quick'))) report(figure)
  }
}

await main(process.argv.slice(2))
await close()
process.exit()
