import type { DestinationType } from './variants.ts'

/** What a filter rule looks at. */
export const FILTER_FIELDS = [
  'model',
  'provider',
  'session_id',
  'user_id',
  'api_key_name',
  'finish_reason',
  'input',
  'output',
  'total_cost',
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
] as const

export const FILTER_OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'regex',
  'starts_with',
  'ends_with',
  'gt',
  'lt',
  'gte',
  'lte',
  'exists',
  'not_exists',
] as const

export const REGIONS = ['global', 'europe', 'us'] as const

export type FilterField = (typeof FILTER_FIELDS)[number]
export type FilterOperator = (typeof FILTER_OPERATORS)[number]
export type Region = (typeof REGIONS)[number]

export interface FilterRule {
  readonly field: FilterField
  readonly operator: FilterOperator
  readonly value?: string | number | undefined
}

export interface FilterGroup {
  readonly logic: 'and' | 'or'
  readonly rules: readonly FilterRule[]
}

export interface FilterRules {
  readonly enabled: boolean
  readonly groups: readonly FilterGroup[]
}

/** The fields of a variant, secrets in full, defaults filled in. */
export interface DestinationConfig {
  readonly [field: string]: string | Readonly<Record<string, string>> | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Where traces of one workspace's traffic go (description, 2.1), as it is stored: its secrets are in it. */
export interface Destination {
  readonly id: string
  /** A uuid. */
  readonly workspace_id: string
  readonly name: string | null
  readonly enabled: boolean
  /** Neither input nor output is forwarded. */
  readonly privacy_mode: boolean
  /** Above 0, up to 1. */
  readonly sampling_rate: number
  /** Hashes of the keys whose traffic is forwarded; null: every key. */
  readonly api_key_hashes: readonly string[] | null
  readonly filter_rules: FilterRules | null
  readonly created_at: string
  readonly updated_at: string
  readonly broadcast_generation_cost: boolean
  readonly broadcast_generation_identity: boolean
  readonly broadcast_generation_request_context: boolean
  readonly regions: readonly Region[]
  /** Only stable ones are listed. */
  readonly release: 'stable' | 'beta' | 'alpha'
  readonly type: DestinationType
  readonly config: DestinationConfig
}

/** Where destinations are kept. The configuration file is one such place; an embedder may bring a database. */
export interface DestinationStore {
  /** All destinations of all workspaces, in any order. A rejection leaves those in force that are known. */
  all(): Promise<readonly Destination[]>
}
