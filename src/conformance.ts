/** The entry point `millrace/conformance`: the checker of Responses streams. */

export { checkEvents } from './conformance/check.ts'
export type { CheckedStream, CheckRule, CheckViolation } from './dialects/check-stream.ts'
export { CHECK_RULES, checkStream, detectDialect, inspectStream } from './dialects/check-stream.ts'
export { eventNamesOf } from './dialects/event-names.ts'
