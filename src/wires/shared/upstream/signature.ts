/**
 * Some clients keep the name of a member, or an id of OpenAI, in the place of a signature: "Invalid `signature` in
 * `thinking` block", "Base64 decoding failed".
 */
export const isSignature = (text: string): boolean => !/^(?:reasoning|fc_|rs_)/.test(text)
