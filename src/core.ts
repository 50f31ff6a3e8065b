/**
 * The entry point `millrace/core`: the machines of the pipeline, their types, and the stream functions for objects in
 * place of names. A bundle contains only the wires and targets that the program imports.
 */

export type { AnswerInput } from './api/answer-input.ts'
export type { EventStream, TranslatedIterable, TranslatedStream, WithOutcome } from './api/output-streams.ts'
export type { ReadOptions, SharedOptions, StreamedBody, TranslatedBody, WriteOptions } from './api/stream-options.ts'
export {
  collectResponse,
  createStreamTranslator,
  streamEvents,
  streamFromBody,
  translateAnswerBody as translateBody,
  translateIterable,
  translateStream,
} from './api/streams.ts'
export { createTranslator } from './api/translator.ts'
export type { TranslatorObjects } from './api/translator-types.ts'
export type { UpstreamObject } from './api/upstream-route.ts'
export { checkEvents } from './conformance/check.ts'
export type { Dialect, DialectName } from './dialects/dialect.ts'
export { openaiReasoningText } from './dialects/openai.ts'
export { writeObjects } from './dialects/projection.ts'
export { read as readEvents } from './dialects/read.ts'
export { writeFrames } from './dialects/write.ts'
export { type AnswerWire, type ClientTargetOptions, type ClientWire, wireTarget } from './engine/client-target.ts'
export { withMachines } from './engine/hooks.ts'
export type { Ending, Outcome } from './engine/outcome.ts'
export type { Facts as RuleFacts, Fitted, RequestRule } from './engine/rules/rule.ts'
export type { AnswerTranslator, StreamTranslator } from './engine/stream-translator.ts'
export { dialectTarget, type Target } from './engine/target.ts'
export { type OpenFastPath, openFastPath as fastPath } from './fast-path/open-fast-path.ts'
export { EVENT_STREAM } from './framing/eventstream.ts'
export type { FormatName } from './framing/format.ts'
export { type Frame, isDone, jsonOf } from './framing/frame.ts'
export type { Framing } from './framing/framing.ts'
export { NDJSON } from './framing/ndjson.ts'
export { SSE } from './framing/sse.ts'
export { identity, type Machine, type Step } from './machine/machine.ts'
export { type Piped, pipe } from './machine/pipe.ts'
export { feed, run } from './machine/run.ts'
export type { Delta } from './protocol/delta.ts'
export { clientError, type GatewayError, gatewayError, type Party, upstreamError } from './protocol/error.ts'
export { toErrorBody } from './protocol/error-body.ts'
export type { Event, EventOf, EventType } from './protocol/event.ts'
export type { Item, ItemType } from './protocol/item.ts'
export type { Json, JsonObject } from './protocol/json.ts'
export { LIMITS, type Limits } from './protocol/limits.ts'
export type { Loss } from './protocol/loss.ts'
export type { Request } from './protocol/request.ts'
export type { Echo, Head, Response, ResponseStatus } from './protocol/response.ts'
export type * from './protocol/response-event.ts'
export type { Usage } from './protocol/usage.ts'
export { CITATIONS } from './responses/apply-citations.ts'
export { ALL_CAPABILITIES, type Capabilities, type Citing, type Hosting } from './responses/capabilities.ts'
export { collect } from './responses/collect.ts'
export { EMPTY_ECHO, toEcho } from './responses/echo.ts'
export { HOSTED_ITEMS } from './responses/hosted-tools.ts'
export { respond } from './responses/respond.ts'
export { eventsToDeltas } from './responses/to-deltas.ts'
export { type ParsedBody, parseBody } from './validation/body.ts'
export { type Validated, validateRequest } from './validation/request.ts'
export { adaptWire, type WireChanges } from './wires/adapt-wire.ts'
export type { AnswerCodec, ClientCodec, DecodeContext, DecodedRequest, EncodeContext } from './wires/client-contract.ts'
export type { Encoded, StreamWire, UpstreamContext, Wire, WireName } from './wires/contract.ts'
export type { Quirks } from './wires/quirks.ts'
export { hideKeys } from './wires/redact.ts'
