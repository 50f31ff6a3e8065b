import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { view } from '../../src/dialects/view.ts'

describe('an item of an upstream’s own kind', () => {
  it('shows its fields as they are, whatever they are called', () => {
    const fields = {
      output: [null, 'x'],
      content: 'y',
      annotations: [1],
      summary: [{ text: 'z' }],
      title: null,
      usage: {},
    }
    for (const dialect of Object.values(DIALECTS)) {
      expect(view(dialect, { type: 'mcp_call', id: 'mcp_1', status: 'completed', fields }, '')).toEqual({
        type: 'mcp_call',
        id: 'mcp_1',
        status: 'completed',
        ...fields,
      })
    }
  })
})
