/**
 * Every error code of this service, with the HTTP statuses that it may have before the first byte, the usual one first.
 * `wires/shared/upstream/error-map.ts` maps each vendor's name of a failure to one of these.
 */
export const ERROR_CODES = {
  // The request cannot be read.
  malformed_request: [400],
  incomplete_body: [400],
  request_timeout: [408],
  request_too_large: [413],
  path_too_long: [414],
  unsupported_media_type: [415],
  expectation_failed: [417],
  headers_too_large: [431],
  // The request has no valid destination, or its sender is not allowed to make it.
  not_found: [404],
  method_not_allowed: [405],
  upgrade_required: [426],
  unknown_dialect: [400],
  missing_authentication: [401],
  invalid_api_key: [401],
  wrong_key_kind: [403],
  host_not_allowed: [403],
  origin_not_allowed: [403],
  rate_limit_exceeded: [429],
  // The request has an invalid value. The message begins with the path of the value.
  invalid_json: [400],
  invalid_prompt: [400],
  // A function of the operator refuses the request; it may choose another status.
  request_refused: [400],
  previous_response_not_found: [400],
  events_dropped: [410],
  model_not_found: [404],
  // A message on a socket is not valid, or exceeds a limit of its connection.
  unknown_event_type: [400],
  invalid_stream_id: [400],
  websocket_connection_limit_reached: [400],
  websocket_stream_limit_reached: [400],
  websocket_queue_full: [429],
  too_many_websockets: [429],
  // The upstream rejected the request.
  context_length_exceeded: [400],
  content_filter: [400],
  invalid_encrypted_content: [400],
  insufficient_quota: [429, 402],
  usage_limit_reached: [429],
  // The upstream failed, or could not be reached.
  server_is_overloaded: [503],
  upstream_timeout: [504],
  upstream_unreachable: [502],
  upstream_disconnected: [502],
  upstream_truncated: [502],
  upstream_invalid: [502],
  upstream_too_large: [502],
  decoder_failed: [500],
  upstream_authentication: [502],
  upstream_not_found: [502],
  // The search engine failed before a request was sent to the upstream.
  search_failed: [502],
  search_unavailable: [502],
  search_timeout: [504],
  // The gateway failed; with 502, the upstream failed without a more exact code.
  server_error: [500, 502],
  server_stopping: [503],
  hook_failed: [500],
  // A path of another client API that this service does not implement.
  not_implemented: [501],
  // For the log only: the client is no longer connected.
  client_gone: [499],
  client_stalled: [408],
} as const satisfies Readonly<Record<string, readonly [number, ...number[]]>>

export type ErrorCode = keyof typeof ERROR_CODES

const USUAL: ReadonlyMap<string, number> = new Map(
  Object.entries(ERROR_CODES).map(([code, [status]]) => [code, status]),
)

/** The usual status of a code; `otherwise`, the default of the failure's party, for a code that is not in the table. */
export const usualStatus = (code: string, otherwise: number): number => USUAL.get(code) ?? otherwise
