import type { DESTINATION_FIELDS } from '../../../observability/destination-types.ts'

type Fields = typeof DESTINATION_FIELDS

/** The description of each field of each type's `config`, for editors. */
export const DESTINATION_DESCRIPTIONS = {
  arize: {
    apiKey: 'API key of Arize',
    spaceKey: 'Key of the space that receives the traces',
    modelId: 'Name of the model, below which Arize lists the traces',
    baseUrl: 'Base URL of the OTLP intake; the path of OTLP is added',
  },
  braintrust: {
    apiKey: 'API key of Braintrust',
    projectId: 'Id of the project that receives the traces',
    baseUrl: 'Base URL of the API; the path of OTLP is added',
  },
  clickhouse: {
    host: 'Address of the HTTP interface, with its scheme and port',
    database: 'Database of the table',
    username: 'User of the database',
    password: 'Password of the user',
    table: 'Table that receives one row for each trace; see the page of ClickHouse for its columns',
  },
  datadog: {
    apiKey: 'API key of Datadog',
    mlApp: 'Name of the application, below which LLM Observability lists the traces',
    url: 'Address of the API; it depends on the site of the account',
  },
  grafana: {
    apiKey: 'Token of an access policy with the scope `traces:write`',
    instanceId: 'Id of the instance; the user name beside the token',
    baseUrl: 'Base URL of the OTLP gateway; it depends on the region of the stack',
  },
  langfuse: {
    secretKey: 'Secret key of the project',
    publicKey: 'Public key of the project',
    baseUrl: 'Base URL of Langfuse; it depends on the region, or is your own server',
  },
  langsmith: {
    apiKey: 'API key of LangSmith',
    endpoint: 'Base URL of the API; it depends on the region, or is your own server',
    project: 'Name of the project that receives the traces',
    workspaceId: 'Id of the workspace, for keys that belong to several. Default: the key’s',
  },
  newrelic: {
    licenseKey: 'License key for the intake',
    region: 'Data centre of the account: `us` or `eu`',
  },
  opik: {
    apiKey: 'API key of Opik',
    workspace: 'Name of the workspace',
    projectName: 'Name of the project that receives the traces',
  },
  'otel-collector': {
    endpoint: 'Base URL of the collector’s OTLP/HTTP receiver; `/v1/traces` is added',
  },
  posthog: {
    apiKey: 'API key of the project',
    endpoint: 'Base URL of the intake; it depends on the region, or is your own server',
  },
  ramp: {
    apiKey: 'API key of Ramp',
    baseUrl: 'Base URL of the intake. Traces are not sent there, because its paths are not public',
  },
  s3: {
    bucketName: 'Bucket that receives one object for each trace',
    accessKeyId: 'Access key with the permission to put objects',
    secretAccessKey: 'Secret of the access key',
    endpoint: 'Base URL of a store other than AWS; the bucket becomes part of the path. Default: AWS',
    region: 'Region of the bucket. Default: us-east-1',
    sessionToken: 'Token of temporary credentials. Default: none',
    prefix: 'Value of `{prefix}` in `pathTemplate`',
    pathTemplate:
      'Folder of the objects: `{prefix}`, `{date}`, `{year}`, `{month}`, `{day}` and `{apiKeyName}` are filled in',
  },
  sentry: {
    dsn: 'DSN of the project',
    otlpEndpoint: 'OTLP traces endpoint of the project',
  },
  snowflake: {
    account: 'Identifier of the account, such as ORGANIZATION-NAME',
    token: 'Programmatic access token',
    database: 'Database of the table',
    schema: 'Schema of the table',
    table: 'Table that receives one row for each trace; see the page of Snowflake for its columns',
    warehouse: 'Warehouse that runs the inserts',
  },
  weave: {
    apiKey: 'API key of Weights & Biases',
    entity: 'Team or user that owns the project',
    project: 'Project that receives the traces',
    baseUrl: 'Base URL of the trace server',
  },
  webhook: {
    url: 'Address that receives the traces as OTLP in JSON',
    method: 'Method of the requests',
  },
} as const satisfies { readonly [Type in keyof Fields]: Readonly<Record<keyof Fields[Type], string>> }

const LISTED_ONLY = 'Shown in the list of destinations, without an effect'

/** The description of each option that all types have. */
export const DESTINATION_OPTIONS: Readonly<Record<string, string>> = {
  id: 'UUID of the destination in its list. Default: one that type, name and position give, always the same',
  workspace: 'Id of its workspace. Default: the default workspace',
  name: 'Name in the list of destinations and in the log',
  enabled: 'Whether it receives traces',
  privacy_mode: 'Omits input and output from traces, and the user, the session and the trace fields of the client',
  sampling_rate: 'Share of the conversations that are forwarded, each as a whole',
  api_key_hashes: 'SHA-256 of the keys whose traffic is forwarded. `null`: every key of the workspace',
  filter_rules: 'Rules that a trace must pass. `null`: every trace is forwarded',
  created_at: 'Time of its creation (ISO 8601), by which the list is sorted',
  updated_at: 'Time of its last change (ISO 8601), for the list. Default: `created_at`',
  broadcast_generation_cost: LISTED_ONLY,
  broadcast_generation_identity: LISTED_ONLY,
  broadcast_generation_request_context: LISTED_ONLY,
  regions: LISTED_ONLY,
  release: 'Only stable destinations are listed',
  type: 'Type of the external system',
  config: 'Address, credentials and settings of the external system',
}
