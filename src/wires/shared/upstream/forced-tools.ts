/** The reason why Ollama refuses a choice that requires a call, in both of its protocols. */
export const CANNOT_FORCE = 'this upstream cannot be forced to call a tool; send auto or none'
