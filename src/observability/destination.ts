import type { DestinationType } from './destination-types.ts'

/** The fields of a trace that a filter rule can test. */
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
type FilterOperator = (typeof FILTER_OPERATORS)[number]
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

/** The fields of a variant, with secrets unmasked and defaults filled in. */
export interface DestinationConfig {
  readonly [field: string]: string | Readonly<Record<string, string>> | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * A destination for the traces of one workspace (docs/description.md, 2.1), in its stored form, which includes the
 * secrets.
 */
export interface Destination {
  readonly id: string
  /** A UUID. */
  readonly workspace_id: string
  readonly name: string | null
  readonly enabled: boolean
  /** Neither input nor output is forwarded. */
  readonly privacy_mode: boolean
  /** Above 0, at most 1. */
  readonly sampling_rate: number
  /** Hashes of the keys whose traffic is forwarded; null for every key. */
  readonly api_key_hashes: readonly string[] | null
  readonly filter_rules: FilterRules | null
  readonly created_at: string
  readonly updated_at: string
  readonly broadcast_generation_cost: boolean
  readonly broadcast_generation_identity: boolean
  readonly broadcast_generation_request_context: boolean
  readonly regions: readonly Region[]
  /** Only stable destinations are listed. */
  readonly release: 'stable' | 'beta' | 'alpha'
  readonly type: DestinationType
  readonly config: DestinationConfig
}

/** A source of destinations: the configuration file, or a database that an embedder provides. */
export interface DestinationStore {
  /**
   * Returns all destinations of all workspaces, in any order. If the promise is rejected, the destinations loaded
   * before stay in force.
   */
  all(): Promise<readonly Destination[]>
}
