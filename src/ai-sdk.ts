/** The entry point `millrace/ai-sdk`: a provider of the AI SDK for every vendor. */

export type {
  GenerateResult,
  MillraceModel,
  ModelCallOptions,
  ModelContent,
  ModelStreamPart,
  ModelUsage,
  ModelWarning,
  Specification,
  StreamResult,
} from './ai-sdk/contract.ts'
export { createMillrace, type MillraceOptions, type MillraceProvider } from './ai-sdk/provider.ts'
