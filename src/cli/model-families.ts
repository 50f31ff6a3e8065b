/** The vendor of each family of names that agents request without a vendor. */
export const VENDORS_OF_NAMES: readonly (readonly [pattern: string, vendor: string])[] = [
  ['claude-*', 'anthropic'],
  ['gpt-*', 'openai'],
  ['o1*', 'openai'],
  ['o3*', 'openai'],
  ['o4*', 'openai'],
  ['codex-*', 'openai'],
  ['gemini-*', 'google'],
]
