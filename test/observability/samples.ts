import type { Destination, DestinationConfig } from '../../src/observability/destination.ts'
import {
  DESTINATION_FIELDS,
  DESTINATION_TYPES,
  type DestinationField,
  type DestinationType,
} from '../../src/observability/destination-types.ts'
import type { Trace } from '../../src/observability/trace.ts'

export const WORKSPACE = '7c0f2c3e-0f6b-4a51-9d0e-3a4a2f1f0a11'

/** Returns uuids in the order of their numbers. */
export const uuid = (number: number): string => `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`

/** Returns a value that is valid for a field and differs from all others. */
export function valueFor(name: string, field: DestinationField): string {
  if (name === 'dsn') return 'https://publickeyofnobody@o42.ingest.sentry.example/4242'
  if (name === 'account') return 'acme-team1'
  if (field.enum !== undefined) return field.enum[0]
  if (field.type === 'url' || name === 'host') return `https://${name.toLowerCase()}.example`
  return `${name}-of-nobody-0123456789`
}

/** Every field of a variant, including those with a default. */
export const configFor = (type: DestinationType): DestinationConfig =>
  Object.fromEntries(Object.entries(DESTINATION_FIELDS[type]).map(([name, field]) => [name, valueFor(name, field)]))

export const destinationOf = (type: DestinationType, changes: Partial<Destination> = {}): Destination => ({
  id: uuid(DESTINATION_TYPES.indexOf(type) + 1),
  workspace_id: WORKSPACE,
  name: `My ${type}`,
  enabled: true,
  privacy_mode: false,
  sampling_rate: 1,
  api_key_hashes: null,
  filter_rules: null,
  created_at: '2026-10-01T12:00:00.000Z',
  updated_at: '2026-10-02T12:00:00.000Z',
  broadcast_generation_cost: false,
  broadcast_generation_identity: false,
  broadcast_generation_request_context: false,
  regions: ['global'],
  release: 'stable',
  type,
  config: configFor(type),
  ...changes,
})

export const traceOf = (changes: Partial<Trace> = {}): Trace => ({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  parentSpanId: '00f067aa0ba902b7',
  name: 'chat parrot-1',
  startedAt: Date.UTC(2026, 10, 3, 4, 5, 6, 789),
  durationMs: 1234.5,
  upstreamMs: 200.25,
  firstTokenMs: 320.5,
  requestId: 'req_1',
  responseId: 'resp_1',
  dialect: 'beta',
  stream: true,
  vendor: 'mistral',
  member: null,
  wire: 'openai-chat',
  requestModel: 'parrot-1',
  responseModel: 'parrot-1-2026',
  status: 200,
  outcome: 'completed',
  finishReason: 'tool_calls',
  error: null,
  attempts: [],
  usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18, cached_tokens: 3, reasoning_tokens: null },
  keyName: 'team/blue',
  user: 'ada',
  sessionId: 'session-1',
  metadata: { feature: 'quiz', beta: true, tries: 2 },
  parameters: { temperature: 1, max_output_tokens: 64 },
  content: {
    instructions: 'Be brief.',
    input: [{ role: 'user', parts: [{ type: 'text', content: 'How warm is it in Oslo?' }] }],
    output: [
      {
        role: 'assistant',
        parts: [
          { type: 'text', content: 'Let me see.' },
          { type: 'tool_call', id: 'call_1', name: 'get_weather', arguments: { city: 'Oslo' } },
        ],
        finish_reason: 'tool_calls',
      },
    ],
  },
  contentLeftOut: false,
  ...changes,
})
