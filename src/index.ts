/**
 * The main entry point. Modules can also be imported by path, such as `millrace/responses/respond` or
 * `millrace/machine`.
 */

export { checkEvents as grammar } from './conformance/check.ts'
export type { CheckRule, CheckViolation } from './dialects/check-stream.ts'
export { checkStream, detectDialect } from './dialects/check-stream.ts'
export type { Dialect, DialectName } from './dialects/dialect.ts'
export { openaiReasoningText } from './dialects/openai.ts'
export { read } from './dialects/read.ts'
export { DIALECTS, findDialect } from './dialects/registry.ts'
export type { Outcome } from './engine/outcome.ts'
export type { BodyCollector as Collection, TranslateOptions, Translation } from './engine/translate.ts'
export { collectStream, streamBody, translate, translateBody } from './engine/translate.ts'
export {
  collectTo,
  formatOf,
  streamBodyTo,
  type TranslateToOptions,
  translateBodyTo,
  translateTo,
} from './engine/translate-to-client.ts'
export { type StreamOptions, translateIterable, translateResponse, translateStream } from './engine/web-streams.ts'
export type { Machine, Step } from './machine/machine.ts'
export { identity } from './machine/machine.ts'
export type { Piped } from './machine/pipe.ts'
export { pipe } from './machine/pipe.ts'
export { feed, run } from './machine/run.ts'
export type { Delta } from './protocol/delta.ts'
export type { GatewayError, Party } from './protocol/error.ts'
export { clientError, gatewayError, upstreamError } from './protocol/error.ts'
export { toErrorBody } from './protocol/error-body.ts'
export type { Event, EventType } from './protocol/event.ts'
export type { Item, ItemType } from './protocol/item.ts'
export type { Json, JsonObject } from './protocol/json.ts'
export type { Limits } from './protocol/limits.ts'
export { LIMITS } from './protocol/limits.ts'
export type { Request } from './protocol/request.ts'
export type { Echo, Head, Response, ResponseStatus } from './protocol/response.ts'
export type { Usage } from './protocol/usage.ts'
export type { Capabilities } from './responses/capabilities.ts'
export { collect } from './responses/collect.ts'
export { EMPTY_ECHO, toEcho } from './responses/echo.ts'
export { respond } from './responses/respond.ts'
export { eventsToDeltas as consume } from './responses/to-deltas.ts'
export type { ParsedBody } from './validation/body.ts'
export { parseBody } from './validation/body.ts'
export type { Validated } from './validation/request.ts'
export { validateRequest } from './validation/request.ts'
export { findVendor, VENDOR_NAMES } from './vendors/registry.ts'
export type { Vendor } from './vendors/vendor.ts'
export type {
  ClientCodec as Client,
  DecodeContext as Asking,
  DecodedRequest as Decoded,
  EncodeContext as Answering,
} from './wires/client-contract.ts'
export type { Encoded, Wire, WireName } from './wires/contract.ts'
export type { Quirks } from './wires/quirks.ts'
export { findWire, WIRES } from './wires/registry.ts'
export { hideKeys } from './wires/shared/upstream/redact.ts'
