import { boundsOf } from '../../src/api/check-server/check-server.ts'
import { EXCHANGE_RULES } from '../../src/api/check-server/findings.ts'
import { ANSWER_ROWS, REFUSED_ROWS } from '../../src/api/check-server/requests.ts'
import { SERVICE_ROWS } from '../../src/api/check-server/service-rows.ts'
import { socketRows } from '../../src/api/check-server/websocket-rows.ts'
import { getOrCreate } from '../../src/collections/get-or-create.ts'
import { ANSWER_RULES } from '../../src/conformance/protocols/answer.ts'
import { CHECK_RULES } from '../../src/dialects/check-stream.ts'
import { MOCK_FAULTS } from '../../src/testing/mock/faults.ts'
import { code, table } from './markdown.ts'

/** The requests of a check. */
export const checkRowTable = (): string =>
  table(
    ['row', 'is about'],
    [...ANSWER_ROWS, ...REFUSED_ROWS, ...SERVICE_ROWS, ...socketRows(null)].map(({ name, about }) => [
      code(name),
      about,
    ]),
  )

/** The largest check, in words. */
export const checkBounds = (): string => {
  const { requests, outputTokens } = boundsOf({ protocol: 'responses' })
  return `At most ${requests} requests and ${outputTokens.toLocaleString('en-US')} output tokens for all rows of the Responses API.`
}

/** The rules of streams, bodies and exchanges. */
export const checkRuleTable = (): string =>
  table(
    ['rule', 'of', 'demands'],
    [
      ...Object.entries(EXCHANGE_RULES).map(([name, about]) => [code(name), 'exchanges', about]),
      ...Object.entries(CHECK_RULES).map(([name, about]) => [code(name), 'Responses', about]),
      ...Object.entries(ANSWER_RULES).map(([name, about]) => [code(name), 'other protocols', about]),
    ],
  )

const PREFIX = /^(?:chat|messages|gemini|interactions|ollama)-/

/** The defects of a mock. One of several wires is one line, whose names begin with `…`. */
export const mockFaultTable = (): string => {
  const all = Object.entries(MOCK_FAULTS).map(([name, { wire, about, row, rule }]) => ({
    name,
    wire,
    cells: [about, `${code(rule)} in ${code(row)}`],
    line: [name.replace(PREFIX, ''), about, row, rule].join(),
  }))
  const lines = new Map<string, (typeof all)[number][]>()
  for (const one of all) getOrCreate(lines, one.line, () => []).push(one)
  return table(
    ['fault', 'of', 'is', 'found by'],
    [...lines.values()].map((same) => [
      code(same.length === 1 ? (same[0]?.name ?? '') : `…${same[0]?.name.replace(PREFIX, '')}`),
      same.map(({ wire }) => code(wire)).join(', '),
      ...(same[0]?.cells ?? []),
    ]),
  )
}
