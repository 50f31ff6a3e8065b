import { HOSTS } from './hosts.ts'
import { MAKERS } from './makers.ts'
import type { Platform, PlatformRow } from './row.ts'

/** The facts in which a platform differs from the models themselves. */
export const PLATFORM_ROWS: readonly PlatformRow[] = [...MAKERS, ...HOSTS]

/** The models that names of a platform are like if no family has them. */
export const LIKE_ON: Readonly<Partial<Record<Platform, string>>> = {
  anthropic: 'claude',
  cohere: 'command',
  google: 'gemini-latest',
  vertex: 'gemini-latest',
  moonshot: 'kimi',
  zai: 'glm',
}
