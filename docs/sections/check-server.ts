import { boundsOf } from '../../src/api/check-server/check-server.ts'
import { EXCHANGE_RULES } from '../../src/api/check-server/findings.ts'
import { ANSWER_ROWS, REFUSED_ROWS } from '../../src/api/check-server/requests.ts'
import { SERVICE_ROWS } from '../../src/api/check-server/service-rows.ts'
import { socketRows } from '../../src/api/check-server/websocket-rows.ts'
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

/** The defects of a mock. */
export const mockFaultTable = (): string =>
  table(
    ['fault', 'of', 'is', 'found by'],
    Object.entries(MOCK_FAULTS).map(([name, { wire, about, row, rule }]) => [
      code(name),
      code(wire),
      about,
      `${code(rule)} in ${code(row)}`,
    ]),
  )
