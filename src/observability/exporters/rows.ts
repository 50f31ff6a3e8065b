import { formatJson } from '../../text/json.ts'
import { toAttributes, writeMessages } from '../attributes.ts'
import { plainAttributes } from '../otlp.ts'
import { type Trace, withoutContent } from '../trace.ts'

/** The type of a column: `json` is text that contains JSON. */
type ColumnType = 'text' | 'time' | 'count' | 'number' | 'truth' | 'json'

interface Column {
  readonly type: ColumnType
  readonly of: (trace: Trace) => string | number | boolean | null
}

const column = (type: ColumnType, of: Column['of']): Column => ({ type, of })
const iso = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').replace('Z', '')

/** The columns of a table of traces, the same for every database. The table must have all of them. */
export const COLUMNS: Readonly<Record<string, Column>> = {
  TIMESTAMP: column('time', ({ startedAt }) => iso(startedAt)),
  TRACE_ID: column('text', ({ traceId }) => traceId),
  SPAN_ID: column('text', ({ spanId }) => spanId),
  PARENT_SPAN_ID: column('text', ({ parentSpanId }) => parentSpanId),
  SPAN_NAME: column('text', ({ name }) => name),
  SPAN_TYPE: column('text', () => 'GENERATION'),
  STATUS: column('text', ({ error }) => (error === null ? 'ok' : 'error')),
  ERROR_CODE: column('text', ({ error }) => error),
  HTTP_STATUS: column('count', ({ status }) => status),
  FINISH_REASON: column('text', ({ finishReason }) => finishReason),
  MODEL: column('text', ({ responseModel, requestModel }) => responseModel ?? requestModel),
  REQUEST_MODEL: column('text', ({ requestModel }) => requestModel),
  PROVIDER_NAME: column('text', ({ vendor }) => vendor),
  WIRE: column('text', ({ wire }) => wire),
  API_KEY_NAME: column('text', ({ keyName }) => keyName),
  USER_ID: column('text', ({ user }) => user),
  SESSION_ID: column('text', ({ sessionId }) => sessionId),
  REQUEST_ID: column('text', ({ requestId }) => requestId),
  RESPONSE_ID: column('text', ({ responseId }) => responseId),
  STREAMED: column('truth', ({ stream }) => stream),
  DURATION_MS: column('number', ({ durationMs }) => durationMs),
  TIME_TO_FIRST_TOKEN_MS: column('number', ({ firstTokenMs }) => firstTokenMs),
  PROMPT_TOKENS: column('count', ({ usage }) => usage?.input_tokens ?? null),
  COMPLETION_TOKENS: column('count', ({ usage }) => usage?.output_tokens ?? null),
  TOTAL_TOKENS: column('count', ({ usage }) => usage?.total_tokens ?? null),
  CACHED_TOKENS: column('count', ({ usage }) => usage?.cached_tokens ?? null),
  REASONING_TOKENS: column('count', ({ usage }) => usage?.reasoning_tokens ?? null),
  // Null for a vendor that does not report it: operators may fill in the column themselves.
  TOTAL_COST: column('number', ({ usage }) => usage?.cost ?? null),
  INPUT: column('json', ({ content }) => (content === null ? '' : writeMessages(content.input))),
  OUTPUT: column('json', ({ content }) => (content === null ? '' : writeMessages(content.output))),
  MODEL_PARAMETERS: column('json', ({ parameters }) => formatJson(parameters)),
  METADATA: column('json', ({ metadata }) => formatJson(metadata)),
  ATTRIBUTES: column('json', (trace) => formatJson(plainAttributes(toAttributes(withoutContent(trace))))),
}

/** Converts a trace into a row. Texts are never null: a missing one is empty. */
export const toRow = (trace: Trace): Readonly<Record<string, string | number | boolean | null>> =>
  Object.fromEntries(
    Object.entries(COLUMNS).map(([name, { type, of }]) => {
      const value = of(trace)
      return [name, value === null && type === 'text' ? '' : value]
    }),
  )

export type ColumnTypes = Readonly<Record<ColumnType, string>>

/** Returns the column definitions of a CREATE TABLE statement. */
export const columnList = (types: ColumnTypes): string =>
  Object.entries(COLUMNS)
    .map(([name, { type }]) => `  ${name} ${types[type]}`)
    .join(',\n')
