import { escapePath } from '../../text/path-segment.ts'

/**
 * Returns the path of a model; null if the name cannot be part of one. Names such as `models/x` and `tunedModels/x`
 * include their collection.
 */
export const modelPath = (model: string): string | null =>
  escapePath(/^\/*(?:tunedM|m)odels\//.test(model) ? model.replace(/^\/+/, '') : `models/${model}`)
