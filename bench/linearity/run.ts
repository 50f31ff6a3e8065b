import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { WIRES } from '../../src/wires/registry.ts'
import { CLIENTS } from './histories.ts'
import type { PartName, Series } from './series.ts'

/** Targets of answers: the Responses API, and the wire whose client side does most. */
const ANSWERED = ['openai', 'anthropic-messages'] as const

/** No case takes longer. */
const LIMIT_MS = 120_000

function clientsOf(part: PartName, quick: boolean): readonly string[] {
  if (quick || part.startsWith('server')) return ['openai']
  return part === 'answers' ? ANSWERED : CLIENTS
}

/**
 * Measures all cases of a part, one after the other: each client protocol with each wire, in processes of their own. The
 * server is measured with clients of the Responses API. `quick`: only they.
 */
export async function measureSeries(part: PartName, quick = false): Promise<readonly Series[]> {
  const program = part.startsWith('server') ? './server.js' : './core.js'
  const found: Series[] = []
  for (const client of clientsOf(part, quick)) {
    for (const wire of Object.keys(WIRES)) {
      const words = [fileURLToPath(new URL(program, import.meta.url)), part, client, wire]
      const { stdout } = await promisify(execFile)(process.execPath, words, { timeout: LIMIT_MS })
      found.push(JSON.parse(stdout) as Series)
    }
  }
  return found
}
