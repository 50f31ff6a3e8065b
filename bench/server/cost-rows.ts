/** The row of what no other row has. */
export const REST = 'the rest: Node, streams, timers, ticks'

/**
 * The parts of a request, each with the beginnings of the modules that belong to it. The first row that matches a module
 * applies. A module without a row counts for the part that calls it: `wires/`, `responses/`, `dialects/` and most of `engine/`
 * have code for requests, and no decode or encode of a request is a cost of its answer.
 */
export const COST_ROWS: readonly (readonly [part: string, ...beginnings: readonly string[]])[] = [
  [
    'open the exchange: context, route, key, limits',
    'host/server/listener',
    'host/server/http-context',
    'host/server/request-order',
    'host/server/half-closed',
    'gateway/routing/',
    'gateway/auth/',
    'gateway/endpoints/admit-request',
  ],
  ['receive and parse the body', 'host/server/read-body', 'gateway/body/', 'validation/body'],
  ['read and validate the request', 'engine/client-request', 'validation/', 'gateway/clients/'],
  ['plan the upstream and the passes', 'gateway/endpoints/plan-request', 'gateway/vendors/', 'engine/passes/passes'],
  [
    'encode for the upstream',
    'engine/upstream-call',
    'engine/passes/',
    'engine/rules/',
    'engine/passthrough/request',
    'engine/passthrough/refused-settings',
    'engine/passthrough/number-losses',
    'engine/call/',
    'engine/carried-members/',
  ],
  [
    'call the upstream',
    'gateway/endpoints/upstream-calls',
    'gateway/endpoints/post-request',
    'gateway/call/',
    'gateway/answer/call-upstream',
    'gateway/answer/open-answer',
    'gateway/upstream/',
    'host/upstream/',
  ],
  ['undici', 'undici/'],
  ['write the answer', 'host/server/sse-response', 'host/server/http-reply'],
  [
    'log, metrics, history, counts',
    'gateway/endpoints/exchange-end',
    'gateway/exchange/journal',
    'gateway/telemetry/',
    'gateway/counts/',
    'host/telemetry/',
    'host/page/',
    'prom-client/',
  ],
  [
    'translate and deliver the answer',
    'gateway/answer/',
    'engine/answer.',
    'engine/answer-budget',
    'engine/answer-driver',
    'engine/bare-body',
    'engine/body-collector',
    'engine/decode-long',
    'engine/delta-',
    'engine/outcome',
    'engine/passthrough/',
    'engine/pipeline',
    'engine/reducer',
    'engine/stream-translator',
    'engine/translation',
    'engine/turns',
    'engine/whole-body',
    'fast-path/',
    'framing/',
    'output/',
  ],
]

/** The part of a module, by its path below `src` or `node_modules`; undefined if it counts for the part that calls it. */
export const partOfModule = (file: string): string | undefined =>
  COST_ROWS.find(([, ...beginnings]) => beginnings.some((one) => file.startsWith(one)))?.[0]
