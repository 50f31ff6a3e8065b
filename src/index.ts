/** The entry point `millrace`: protocols by name. `millrace/core` has the machines, and functions for objects. */

export { type ReadRun, type RunInputLike, readRunInput } from './ai-sdk/run-input.ts'
export type { ReadThread } from './ai-sdk/thread.ts'
export { readUIMessages, type UIMessageLike } from './ai-sdk/ui-messages.ts'
export type { AnswerInput, PendingInput } from './api/answer-input.ts'
export type { CallAnswer } from './api/call-answer.ts'
export type { AnswerProtocol } from './api/client-protocol.ts'
export { type ExplainedRequest, type ExplainOptions, explainRequest } from './api/explain-request.ts'
export {
  type CallStreamOptions,
  collectNamedResponse as collectResponse,
  createNamedStreamTranslator as createStreamTranslator,
  type StreamOptions,
  streamFromNamedBody as streamFromBody,
  streamNamedEvents as streamEvents,
  translateNamedBody as translateBody,
  translateNamedIterable as translateIterable,
  translateNamedStream as translateStream,
} from './api/named-streams.ts'
export {
  createNamedTranslator as createTranslator,
  type NamedAnswerOptions as AnswerOptions,
  type NamedTranslator as Translator,
  type TranslatorOptions,
} from './api/named-translator.ts'
export type { UpstreamOptions } from './api/named-upstream.ts'
export type { OwnVendor, TargetName } from './api/names.ts'
export type { Collected, EventStream, TranslatedIterable, TranslatedStream, WithOutcome } from './api/output-streams.ts'
export { outputText } from './api/output-text.ts'
export type { RequestChange } from './api/request-settings.ts'
export {
  type RequestOptions,
  type TranslatedRequest,
  translateRequest,
} from './api/translate-request.ts'
export type { CallOptions, RefusedCall, TranslatorCall } from './api/translator-types.ts'
export { validateResponsesStream } from './api/validate-stream.ts'
export type { CheckViolation } from './dialects/check-stream.ts'
export type {
  Change,
  Complaint,
  ExplainedBreakpoint,
  Explanation,
  SharedPrefix,
} from './engine/explain/explanation.ts'
export type { Ending, Outcome, UpstreamReport } from './engine/outcome.ts'
export type { StreamTranslator } from './engine/stream-translator.ts'
export type { GatewayError } from './protocol/error.ts'
export type { Loss } from './protocol/loss.ts'
export type { OutputItem, ResponseEvent, ResponseObject } from './protocol/response-event.ts'
export type { FrontEndName } from './targets/names.ts'
export type { WireName } from './wires/contract.ts'
