import type { ToolChoice } from '../../../protocol/request.ts'

/** Returns why a tool choice is impossible, or null. Calls of functions can be forced, calls of server tools cannot. */
export function choiceRefusal(
  choice: ToolChoice | null,
  functions: readonly { readonly name: string }[],
): string | null {
  if (choice === null || choice === 'auto' || choice === 'none') return null
  if (choice === 'required') {
    return functions.length > 0
      ? null
      : 'a tool call is required, but this upstream supports none of the tools; send other tools, or auto'
  }
  const known = choice.type === 'function' && functions.some(({ name }) => name === choice.name)
  return known ? null : `this upstream cannot be forced to call ${choice.name}; send another tool, or auto`
}
