import { FastPath } from './fast-path.ts'
import type { FastPathOptions } from './options.ts'
import type { SlowPath } from './slow-path.ts'

/** Opens the fast path of one stream. Programs that translate without it do not contain its code. */
export type OpenFastPath = (slow: SlowPath, options: FastPathOptions) => FastPath

export const openFastPath: OpenFastPath = (slow, options) => new FastPath(slow, options)
