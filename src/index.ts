/** The entry point `millrace`: protocols by name. `millrace/core` has the machines, and functions for objects. */

export type { AnswerInput } from './api/answer-input.ts'
export { type ExplainedRequest, type ExplainOptions, explainRequest } from './api/explain-request.ts'
export {
  collectNamedResponse as collectResponse,
  createNamedStreamTranslator as createStreamTranslator,
  type StreamOptions,
  streamFromNamedBody as streamFromBody,
  streamNamedEvents as streamEvents,
  translateNamedBody as translateBody,
  translateNamedIterable as translateIterable,
  translateNamedStream as translateStream,
} from './api/named-streams.ts'
export type { TargetName } from './api/names.ts'
export type { EventStream, TranslatedIterable, TranslatedStream, WithOutcome } from './api/streams.ts'
export {
  type RequestOptions,
  type TranslatedRequest,
  translateRequest,
} from './api/translate-request.ts'
export { createTranslator, type Translator, type TranslatorCall, type TranslatorOptions } from './api/translator.ts'
export type { UpstreamOptions } from './api/upstream-route.ts'
export { validateResponsesStream } from './api/validate-stream.ts'
export type { CheckViolation } from './dialects/check-stream.ts'
export type {
  Change,
  Complaint,
  ExplainedBreakpoint,
  Explanation,
  SharedPrefix,
} from './engine/explain/explanation.ts'
export type { Ending, Outcome } from './engine/outcome.ts'
export type { StreamTranslator } from './engine/stream-translator.ts'
export type { GatewayError } from './protocol/error.ts'
export type { Loss } from './protocol/loss.ts'
export type { OutputItem, ResponseEvent, ResponseObject } from './protocol/response-event.ts'
export type { WireName } from './wires/contract.ts'
