/**
 * Checks gateways in front of `millrace mock` with the checks of `millrace check`, keeps the exchange of every defect in
 * bench/conformance/exchanges, and writes docs/conformance.md.
 *
 *     npm run bench:conformance                                every gateway that this machine has
 *     npm run bench:conformance -- --only millrace             these; the results of the others stay
 *     npm run bench:conformance -- --write                     writes the page from the results, and checks nothing
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import {
  type CheckedRow,
  type CheckServerOptions,
  checkRowNames,
  checkServer,
} from '../../src/api/check-server/check-server.ts'
import type { CheckedProtocol } from '../../src/api/check-server/protocols.ts'
import { openMock } from '../../src/testing/mock/open-mock.ts'
import { killAll } from '../children.ts'
import { installPeers } from '../peers/part.ts'
import { type KeptExchange, openRelay, type Recorder, recordingFetch } from './exchanges.ts'
import { GATEWAYS, type GatewayUnderCheck, type Pair, type RunningGateway } from './gateways.ts'
import {
  type CheckedPair,
  type ConformanceResults,
  exchangeFile,
  exchangeFolder,
  PAGE,
  pageOf,
  pairName,
  RESULTS,
  readConformance,
} from './page.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    write: { type: 'boolean', default: false },
  },
})

const TIMEOUT_MS = 20_000
/** Of each row, in the results and on the page, and in the file of its exchange. */
const [MOST_KEPT, MOST_IN_EXCHANGE] = [3, 20] as const

interface RecordedRow {
  readonly row: CheckedRow
  readonly client: readonly KeptExchange[]
  readonly upstream: readonly KeptExchange[]
}

/** Runs the checks of a protocol one after another, each with its exchanges. */
async function checkAll(
  options: Omit<CheckServerOptions, 'fetch' | 'timeoutMs'>,
  without: readonly string[],
  upstream: Recorder,
): Promise<readonly RecordedRow[]> {
  const { protocol = 'responses' } = options
  const names = checkRowNames(protocol).filter((name) => !name.startsWith('websocket') && !without.includes(name))
  const recorded: RecordedRow[] = []
  const { fetch, take } = recordingFetch()
  for (const name of names) {
    const { rows } = await checkServer({ ...options, only: [name], fetch, timeoutMs: TIMEOUT_MS })
    const [row] = rows
    if (row === undefined) throw new Error(`${name} is no row of ${protocol}`)
    recorded.push({ row, client: await take(), upstream: await upstream.take() })
  }
  return recorded
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Ports and the folder of this project, which stack traces of peers show, differ in each run. */
const withoutPlaces = (text: string): string =>
  text.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1').replaceAll(ROOT, () => '')

const formOf = ({ request: { body, path } }: KeptExchange): string =>
  /:streamGenerateContent/.test(path) || (body as { stream?: unknown } | null)?.stream === true ? 'streamed' : 'whole'

/** The exchange that shows the first finding of a row. */
function shownBy({ row, client }: RecordedRow): KeptExchange | undefined {
  const [finding] = row.findings
  return client.find((one) => finding?.form === formOf(one)) ?? client[0]
}

const isDefect = ({ row: { status } }: RecordedRow): boolean => status === 'failed' || status === 'warned'

/** The findings of a row without what differs between its frames. */
const kindOf = ({ row }: RecordedRow): string =>
  [...new Set(row.findings.map(({ rule, form, message }) => `${rule} ${form} ${withoutNumbers(message)}`))]
    .sort()
    .join()

const withoutNumbers = (message: string): string => message.replaceAll(/"(?:[^"\\]|\\.)*"|\d+/g, '…')

/** The smallest of the rows with the same findings, which stands for all of them. */
function smallestOfKinds(rows: readonly RecordedRow[]): ReadonlyMap<string, RecordedRow> {
  const size = (one: RecordedRow): number => JSON.stringify(shownBy(one)?.request ?? '').length
  const smallest = new Map<string, RecordedRow>()
  for (const one of rows) {
    const known = smallest.get(kindOf(one))
    if (known === undefined || size(one) < size(known)) smallest.set(kindOf(one), one)
  }
  return smallest
}

function keepExchange(
  gateway: GatewayUnderCheck,
  version: string,
  pair: Pair,
  recorded: RecordedRow,
  right: RecordedRow | undefined,
): void {
  const shown = shownBy(recorded)
  if (shown === undefined) return
  const form = formOf(shown)
  const kept = {
    gateway: gateway.name,
    version,
    ...pair,
    check: recorded.row.name,
    findings: recorded.row.findings.slice(0, MOST_IN_EXCHANGE),
    request: shown.request,
    sent: recorded.upstream.find((one) => formOf(one) === form) ?? recorded.upstream[0] ?? null,
    came: shown.answer,
    right: right?.client.find((one) => formOf(one) === form)?.answer ?? null,
  }
  const file = exchangeFile(gateway.name, pair, recorded.row.name)
  mkdirSync(new URL('.', file), { recursive: true })
  writeFileSync(file, `${withoutPlaces(JSON.stringify(kept, null, 2))}\n`)
}

async function checkPair(
  gateway: GatewayUnderCheck,
  running: RunningGateway,
  pair: Pair,
  relay: Recorder,
  right: readonly RecordedRow[],
): Promise<CheckedPair> {
  const form = gateway.form === undefined ? {} : { form: gateway.form }
  const options = { ...running.addressOf(pair), protocol: pair.protocol, ...form }
  const recorded = await checkAll(options, gateway.without ?? [], relay)
  const smallest = smallestOfKinds(recorded.filter(isDefect))
  for (const one of smallest.values()) {
    const expected = right.find(({ row }) => row.name === one.row.name)
    keepExchange(gateway, running.version, pair, one, expected)
  }
  const rows = recorded.map((one) => {
    const { name, status, reason, findings } = one.row
    return {
      name,
      status,
      reason: reason === null ? null : withoutPlaces(reason),
      findings: findings
        .slice(0, MOST_KEPT)
        .map((finding) => ({ ...finding, message: withoutPlaces(finding.message) })),
      more: Math.max(0, findings.length - MOST_KEPT),
      exchange: isDefect(one) ? (smallest.get(kindOf(one))?.row.name ?? null) : null,
    }
  })
  const failed = rows.filter(({ status }) => status === 'failed').length
  process.stdout.write(`  ${pairName(pair).padEnd(36)} ${failed} of ${rows.length} failed\n`)
  return { ...pair, rows }
}

async function checkThem(): Promise<void> {
  installPeers()
  const mock = await openMock()
  const relay = await openRelay(mock.url)
  const references = new Map<CheckedProtocol, Promise<readonly RecordedRow[]>>()
  const silent: Recorder = { take: async () => [] }
  const rightOf = (protocol: CheckedProtocol): Promise<readonly RecordedRow[]> => {
    const known = references.get(protocol)
    if (known !== undefined) return known
    const version =
      protocol === 'gemini' || protocol === 'interactions' ? '/v1beta' : protocol === 'ollama' ? '' : '/v1'
    const made = checkAll({ url: mock.url + version, model: 'script', key: 'x', protocol }, [], silent)
    references.set(protocol, made)
    return made
  }
  const chosen = GATEWAYS.filter(({ name }) => values.only.length === 0 || values.only.includes(name))
  for (const gateway of chosen) {
    process.stdout.write(`${gateway.name}\n`)
    try {
      const running = await gateway.start(relay.url)
      rmSync(exchangeFolder(gateway.name), { recursive: true, force: true })
      const pairs: CheckedPair[] = []
      for (const pair of gateway.pairs)
        pairs.push(await checkPair(gateway, running, pair, relay, await rightOf(pair.protocol)))
      await running.close()
      const date = new Date().toISOString().slice(0, 10)
      const results: ConformanceResults = {
        ...readConformance(),
        [gateway.name]: { version: running.version, date, pairs },
      }
      writeFileSync(RESULTS, `${JSON.stringify(results)}\n`)
    } catch (error) {
      if (gateway.program === undefined) throw error
      process.stdout.write(`  not on this machine: ${error instanceof Error ? error.message : String(error)}\n`)
    }
  }
  relay.close()
  await mock.close()
}

if (!values.write) await checkThem()
writeFileSync(PAGE, pageOf(readConformance()))
killAll()
process.exit(0)
