import type { EffortStyle, Quirks } from '../../quirks.ts'
import { type ModelTable, readTraits } from '../../shared/upstream/model-table.ts'

/** How a request sets the reasoning of a model: by steps of effort, by a switch, or not at all. */
export type Knob = 'steps' | 'switch' | 'none'

type Styled = Extract<EffortStyle, 'groq' | 'xai' | 'mistral' | 'moonshot' | 'zai'>

/**
 * For vendors whose models differ in this setting (docs/wires/openai-chat.md, 9.2). OpenAI's models are in
 * `../openai-models.ts`.
 */
const MODELS: Readonly<Record<Styled, ModelTable<Knob>>> = {
  groq: {
    rows: [
      { names: /gpt-oss/, traits: 'steps' },
      { names: /qwen|qwq/, traits: 'switch' },
    ],
    unknown: 'none',
  },
  // grok-4 refuses the field; its successors take it in the Responses API only.
  xai: { rows: [{ names: /grok-3-mini/, traits: 'steps' }], unknown: 'none' },
  mistral: { rows: [{ names: /magistral/, traits: 'switch' }], unknown: 'steps' },
  moonshot: { rows: [{ names: /kimi-k[12](?!\d)|moonshot-v1|kimi-thinking/, traits: 'switch' }], unknown: 'steps' },
  zai: { rows: [{ names: /glm-(?:[1-4](?!\d)|z1)/, traits: 'switch' }], unknown: 'steps' },
}

export const knobOf = (style: Styled, model: string, quirks: Quirks): Knob => readTraits(MODELS[style], model, quirks)
