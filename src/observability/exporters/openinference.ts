import { writeMessages } from '../attributes.ts'
import { attribute, type Maybe } from '../otlp.ts'
import type { Trace } from '../trace.ts'

/** The same facts under the names of OpenInference, for receivers that do not read the OpenTelemetry conventions. */
export const openInference = (trace: Trace): readonly Maybe[] => [
  attribute.text('openinference.span.kind', 'LLM'),
  attribute.text('llm.model_name', trace.responseModel ?? trace.requestModel),
  attribute.text('llm.provider', trace.vendor),
  attribute.count('llm.token_count.prompt', trace.usage?.input_tokens ?? null),
  attribute.count('llm.token_count.completion', trace.usage?.output_tokens ?? null),
  attribute.count('llm.token_count.total', trace.usage?.total_tokens ?? null),
  ...(trace.content === null
    ? []
    : [
        attribute.text('input.value', writeMessages(trace.content.input)),
        attribute.text('output.value', writeMessages(trace.content.output)),
      ]),
]
