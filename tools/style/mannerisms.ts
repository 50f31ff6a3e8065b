/** Phrases that make English read like a translation (docs/style.md), and how often a text has them. */

export const MANNERISMS = {
  '"is no" for "is not a"': /\b(?:is|are|was|were) no\b(?! (?:longer|more|less|other|different|better|worse)\b)/gi,
  '"that of"': /\bthat of\b/gi,
  '"those of"': /\bthose of\b/gi,
  '"of … of"': /\bof (?:(?!of\b)[^\s.;:,()|"]+ ){1,4}of\b(?! course)/gi,
  '"the one that"': /\bthe ones? (?:that|which|of)\b/gi,
  '"is to have"': /\b(?:is|are) to (?:have|be)\b/gi,
} as const satisfies Readonly<Record<string, RegExp>>

export type Mannerism = keyof typeof MANNERISMS

/** The prose of a page: without code, links' addresses and tables' rules. */
export const proseOf = (page: string): string =>
  page
    .replace(/^```[\s\S]*?^```$/gm, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/\]\([^)]*\)/g, ']')

/** String literals with several words: help, messages and the texts of the page. */
export const textsOf = (source: string): string =>
  source
    .replace(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, '')
    .match(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|>[^<>{}\n]{12,}</g)
    ?.filter((text) => text.split(' ').length > 3)
    .join('\n') ?? ''

export const wordsIn = (text: string): number => text.match(/[A-Za-z][\w'’-]*/g)?.length ?? 0

export interface MannerismCount {
  readonly words: number
  readonly counts: Readonly<Record<Mannerism, number>>
  readonly total: number
}

export function countMannerisms(text: string): MannerismCount {
  const counts = Object.fromEntries(
    Object.entries(MANNERISMS).map(([name, pattern]) => [name, text.match(pattern)?.length ?? 0]),
  ) as Record<Mannerism, number>
  return { words: wordsIn(text), counts, total: Object.values(counts).reduce((sum, one) => sum + one, 0) }
}

/** The phrases themselves, with the words around them. */
export const foundIn = (text: string, around = 60): readonly string[] =>
  Object.values(MANNERISMS).flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) =>
      text.slice(Math.max(0, index - around), index + found.length + around).replaceAll('\n', ' '),
    ),
  )
