import type { Json } from '../../src/protocol/json.ts'
import { createOpen, type Origin, type Sign } from '../../src/responses/encrypted-content.ts'

/** Opens one payload. */
export const openReasoning = (origin: Origin, sealed: string, sign?: Sign): Json | undefined =>
  createOpen(origin, sign)(sealed)
