/**
 * Replaces the missing signature of a call that another model made. Gemini 3 and later models reject a tool turn whose
 * first call is unsigned (https://ai.google.dev/gemini-api/docs/thought-signatures).
 */
export const MISSING_SIGNATURE = 'skip_thought_signature_validator'
