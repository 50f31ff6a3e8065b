/** The values of a field: `url` is an http or https address without credentials. */
type FieldType = 'text' | 'url' | 'word'

export interface DestinationField {
  readonly type: FieldType
  readonly required: boolean
  readonly default?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly enum?: readonly [string, ...string[]]
  /** `whole`: masked as a whole. `password`: a URL of which only the password is masked. */
  readonly secret?: 'whole' | 'password'
}

/** The fields of one variant's `config`; every variant also has `headers`. */
export type DestinationFields = Readonly<Record<string, DestinationField>>

const text = { type: 'text', required: true, minLength: 1 } as const
const secret = { ...text, secret: 'whole' } as const
const url = (defaultValue: string) => ({ type: 'url', required: false, default: defaultValue }) as const
const textOr = (defaultValue: string) => ({ type: 'text', required: false, default: defaultValue }) as const
const words = <const Words extends readonly [string, ...string[]]>(...all: Words) =>
  ({ type: 'word', required: false, default: all[0] as string, enum: all }) as const

const DSN = String.raw`^https:\/\/([^:@]+)(?::[^@]*)?@([^/]+)(?:\/[^/]+)*\/(\d+)\/?$`
const ACCOUNT = '^[a-zA-Z0-9_]+(?:[.-][a-zA-Z0-9_]+)*$'

/** Every type of destination, with the fields of its `config` in their order (docs/description.md, 2.1 and 11.2). */
export const DESTINATION_FIELDS = {
  arize: { apiKey: secret, spaceKey: secret, modelId: text, baseUrl: url('https://otlp.arize.com') },
  braintrust: { apiKey: secret, projectId: text, baseUrl: url('https://api.braintrust.dev') },
  clickhouse: {
    host: text,
    database: text,
    username: text,
    password: secret,
    table: textOr('SERVICE_TRACES'),
  },
  datadog: { apiKey: secret, mlApp: text, url: url('https://api.us5.datadoghq.com') },
  grafana: {
    apiKey: secret,
    instanceId: text,
    baseUrl: url('https://otlp-gateway-prod-us-west-0.grafana.net'),
  },
  langfuse: { secretKey: secret, publicKey: secret, baseUrl: url('https://us.cloud.langfuse.com') },
  langsmith: {
    apiKey: secret,
    endpoint: url('https://api.smith.langchain.com'),
    project: { ...textOr('main'), minLength: 1 },
    workspaceId: { type: 'text', required: false },
  },
  newrelic: { licenseKey: secret, region: words('us', 'eu') },
  opik: { apiKey: secret, workspace: text, projectName: text },
  'otel-collector': { endpoint: { type: 'url', required: true } },
  posthog: { apiKey: secret, endpoint: url('https://us.i.posthog.com') },
  ramp: { apiKey: secret, baseUrl: url('https://api.ramp.com/developer/v1/ai-usage/openrouter') },
  s3: {
    bucketName: text,
    accessKeyId: secret,
    secretAccessKey: secret,
    endpoint: { type: 'url', required: false },
    region: { type: 'text', required: false },
    sessionToken: { type: 'text', required: false, secret: 'whole' },
    prefix: textOr('service-traces'),
    pathTemplate: textOr('{prefix}/{date}'),
  },
  sentry: {
    dsn: { ...text, pattern: DSN, secret: 'password' },
    otlpEndpoint: { type: 'url', required: true },
  },
  snowflake: {
    account: { ...text, maxLength: 255, pattern: ACCOUNT },
    token: secret,
    database: textOr('SNOWFLAKE_LEARNING_DB'),
    schema: textOr('PUBLIC'),
    table: textOr('SERVICE_TRACES'),
    warehouse: textOr('COMPUTE_WH'),
  },
  weave: { apiKey: secret, entity: text, project: text, baseUrl: url('https://trace.wandb.ai') },
  webhook: { url: { type: 'url', required: true }, method: words('POST', 'PUT') },
} as const satisfies Readonly<Record<string, DestinationFields>>

export type DestinationType = keyof typeof DESTINATION_FIELDS

export const DESTINATION_TYPES = Object.keys(DESTINATION_FIELDS) as readonly DestinationType[]

type Filled = { readonly required: true } | { readonly default: string }

/** The fields of one variant's `config` after its defaults are filled in. */
export type ConfigOf<T extends DestinationType> = {
  readonly [K in keyof (typeof DESTINATION_FIELDS)[T]]: (typeof DESTINATION_FIELDS)[T][K] extends Filled
    ? string
    : string | undefined
}
