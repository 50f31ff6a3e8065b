export const messageKey = (message: number): string => `message ${message}`
export const reasoningKey = (index: string): string => `thought ${index}`
export const callKey = (index: string): string => `call ${index}`
