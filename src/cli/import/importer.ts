import type { Env } from '../../gateway/config/secrets.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Reasons, Source } from './source.ts'

/** Turns the configuration of another gateway into one of this server. */
export interface Importer {
  readonly reasons: Reasons
  toConfig(source: Source, env: Env): JsonObject
}
