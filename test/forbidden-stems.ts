/**
 * Words that no identifier and no file name of `src/` contains, with the word that replaces them (docs/glossary.md).
 * Programs do not speak or listen, and each concept has one name.
 */
export const FORBIDDEN_STEMS: Readonly<Record<string, string>> = {
  hear: 'apply, process',
  hears: 'supports',
  heard: 'received, parsed',
  hearing: 'pipeline',
  say: 'emit, write',
  says: 'text',
  said: 'text, event, content',
  tell: 'write, emit',
  tells: 'writes',
  telling: 'encoder',
  told: 'state, step, written',
  speak: 'support',
  speaks: 'supports',
  spoke: 'started',
  spoken: 'written',
  speech: 'capabilities',
  voice: 'target',
  story: 'response state, progress',
  unheard: 'unknown, ignored',
  unsaid: 'losses of the client',
  unmet: 'unsupported',
  bend: 'map',
  bent: 'mapped',
  errand: 'operation',
  plot: 'loop state',
  leg: 'turn',
  legs: 'turns',
  desk: 'scratch',
  press: 'printer',
  stranger: 'unknown field',
  vain: 'without effect',
  manner: 'specification',
  owed: 'pending, missing, rest',
  owes: 'has pending',
  lesson: 'restriction',
  lessons: 'restrictions',
  spent: 'exhausted, exceeded',
  begun: 'started',
  unread: 'unsupported, pending',
}

/** The words of an identifier or file name: `toolPaths`, `LONGEST_TEXT` and `tool-paths` have two each. */
export const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .map((word) => word.toLowerCase())
    .filter((word) => word !== '')
