/** The reason why Ollama refuses a choice that requires a call, in both of its protocols. */
export const CANNOT_FORCE = 'this upstream cannot be forced to call a tool; send auto or none'

/** Why a request that forces a call is refused where the upstream has none of its tools. */
export const NO_TOOL_TO_CALL =
  'a tool call is required, but this upstream supports none of the tools; send other tools, or auto'
