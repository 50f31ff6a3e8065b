/** Whose model it is, as far as its id tells: what it takes beyond Converse itself hangs on that. */
export interface Model {
  readonly family: 'claude' | 'nova' | 'gpt-oss' | 'other'
  /** 405 is Claude 4.5, 200 Nova 2; 0 where it is not told. */
  readonly version: number
}

// claude-3-7-sonnet-20250219, claude-sonnet-4-5-20250929, claude-opus-4-20250514: a date is no minor version.
const CLAUDE = /claude(?:-[a-z]+)?-(\d{1,2})(?:-(\d{1,2}))?(?=$|[-:.@])/
const NOVA_2 = /nova-2|nova-[a-z]+-v2/

/** `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, an ARN that ends so, or an id that tells nothing. */
export function modelOf(id: string): Model {
  const name = id.toLowerCase()
  if (name.includes('claude')) {
    const [, major = 0, minor = 0] = CLAUDE.exec(name) ?? []
    return { family: 'claude', version: 100 * Number(major) + Number(minor) }
  }
  if (name.includes('nova')) return { family: 'nova', version: NOVA_2.test(name) ? 200 : 100 }
  return { family: name.includes('gpt-oss') ? 'gpt-oss' : 'other', version: 0 }
}

const WITHOUT_SCHEMAS = /nova|titan|llama|jamba|j2-|command|deepseek\.r1/

/** Can its answer be bound to a JSON schema? Claude since 4.5, and most of the newer open models. */
export const takesSchemas = (id: string): boolean => {
  const { family, version } = modelOf(id)
  return family === 'claude' ? version >= 405 : !WITHOUT_SCHEMAS.test(id.toLowerCase())
}
