/** The entry point `millrace/conformance`: the checker of Responses streams, and of live servers of every protocol. */

export {
  boundsOf,
  type CheckedRow,
  type CheckServerOptions,
  checkRowNames,
  checkServer,
  type RowStatus,
  type ServerReport,
} from './api/check-server/check-server.ts'
export { type CheckFinding, EXCHANGE_RULES, type Severity } from './api/check-server/findings.ts'
export type { CheckedProtocol } from './api/check-server/protocols.ts'
export type { CheckSocket, OpenCheckSocket } from './api/check-server/websocket-rows.ts'
export { checkEvents } from './conformance/check.ts'
export { ANSWER_RULES } from './conformance/protocols/answer.ts'
export type { CheckedStream, CheckRule, CheckViolation } from './dialects/check-stream.ts'
export { CHECK_RULES, checkStream, detectDialect, inspectStream } from './dialects/check-stream.ts'
export { eventNamesOf } from './dialects/event-names.ts'
