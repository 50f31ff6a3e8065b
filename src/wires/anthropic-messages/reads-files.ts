import type { Quirks } from '../quirks.ts'

/** Families that only routers serve in this protocol, besides Claude: they translate its blocks. */
const READING: ReadonlySet<string> = new Set(['claude', 'gpt', 'gemini'])

/** Whether a model has blocks for files. Servers of open models have none, unless their row says how files are sent. */
export const readsFiles = (
  { files = 'none' }: Pick<Quirks, 'files'>,
  { family = 'claude' }: { readonly family?: string | undefined },
): boolean => READING.has(family) || files !== 'none'
