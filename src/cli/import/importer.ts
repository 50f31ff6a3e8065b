import type { Env } from '../../gateway/config/secrets.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Reasons, Source } from './source.ts'

/** A client family, with the base URLs that it may have had at the other gateway. */
export interface FormerAddress {
  readonly client: 'OpenAI' | 'Anthropic'
  readonly urls: readonly string[]
}

/** Turns the configuration of another gateway into one of this server. */
export interface Importer {
  /** The name of the gateway in messages. */
  readonly title: string
  /** Members at the top of its file by which it is recognised. One is enough. */
  readonly members: readonly string[]
  readonly reasons: Reasons
  toConfig(source: Source, env: Env): JsonObject
  /** The addresses that its clients used. */
  addresses(source: Source): readonly FormerAddress[]
}
