import { type Env, readVariable } from './secrets.ts'

/**
 * A reference, an escaped `${`, or a `${` that begins no reference. A default has no braces, so that the pattern takes
 * linear time.
 */
const REFERENCE = /\$\$\{|\$\{(?:([A-Za-z_]\w*)(?::-([^{}]*))?\})?/g

/** A string with the values of its variables. */
export interface Filled {
  readonly text: string
  /** Whether the string was one reference and nothing else. */
  readonly isReference: boolean
  readonly faults: readonly string[]
}

/**
 * Replaces `${NAME}` and `${NAME:-default}` by the variable, without white space at both ends; an empty variable is one
 * that is not set. `$${` becomes `${`. A value is not searched for further references.
 */
export function fillVariables(text: string, env: Env): Filled {
  const faults: string[] = []
  let isReference = false
  const filled = text.replace(REFERENCE, (found, name: string | undefined, otherwise: string | undefined) => {
    if (found === '$${') return '${'
    if (name === undefined) {
      faults.push(`expected \${NAME} or \${NAME:-default}. Write $\${ for the characters \${`)
      return found
    }
    isReference = found === text
    const value = readVariable(env, name)
    if (value === '' && otherwise === undefined)
      faults.push(`the environment variable ${name} is not set. Set it, or write \${${name}:-default}`)
    return value === '' ? (otherwise ?? '') : value
  })
  return { text: filled, isReference, faults }
}
