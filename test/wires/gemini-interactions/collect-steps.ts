import type { Loose } from '../../reference-readers/read-stream.ts'

export interface CollectedSteps {
  readonly steps: readonly Loose[]
  /** The interaction of the last event. */
  readonly end: Loose
  readonly errors: readonly Loose[]
}

/** Assembles the steps of a stream, as its clients do: the vendor's package does not. */
export async function collectSteps(stream: AsyncIterable<Loose>): Promise<CollectedSteps> {
  const steps: Loose[] = []
  const errors: Loose[] = []
  const texts = new Map<number, string>()
  let end: Loose
  for await (const event of stream) {
    const { event_type: type, index, step, delta, interaction, error } = event
    const open = steps[index]
    if (type === 'step.start') steps[index] = { ...step }
    else if (type === 'step.delta') apply(open, index, delta, texts)
    else if (type === 'step.stop' && open.type === 'function_call') open.arguments = JSON.parse(texts.get(index) ?? '')
    else if (type === 'interaction.completed') end = interaction
    else if (type === 'error') errors.push(error)
    if (steps[index]?.signature === '') delete steps[index].signature
  }
  return { steps, end, errors }
}

function apply(step: Loose, index: number, delta: Loose, texts: Map<number, string>): void {
  switch (delta.type) {
    case 'text':
      step.content = joined(step.content, delta.text)
      return
    case 'text_annotation_delta':
      step.content.at(-1).annotations = delta.annotations
      return
    case 'thought_summary':
      step.summary = joined(step.summary, delta.content.text)
      return
    case 'thought_signature':
      step.signature = delta.signature
      return
    case 'arguments_delta':
      texts.set(index, (texts.get(index) ?? '') + delta.arguments)
      return
    case 'image':
      step.content = [...(step.content ?? []), delta]
      return
    default: {
      const { type: _, ...members } = delta
      Object.assign(step, members)
    }
  }
}

const joined = (list: Loose, text: string): Loose => [{ type: 'text', text: (list?.[0]?.text ?? '') + text }]
