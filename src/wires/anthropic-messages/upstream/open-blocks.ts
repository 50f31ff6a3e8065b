import { mapGet, mapSet, mapValues } from '../../../collections/sorted-map.ts'
import { type Block, type MessagesState, tell } from './state.ts'

export const findBlock = ({ story }: MessagesState, index: string): Block | undefined =>
  mapGet(story.blocks, index)?.block

/** Returns the open blocks in the order in which they began. O(n log n). */
export const openBlocks = ({ story }: MessagesState): readonly Block[] =>
  mapValues(story.blocks)
    .sort((a, b) => a.order - b.order)
    .map(({ block }) => block)

const isTool = ({ kind }: Block): boolean => kind === 'call' || kind === 'server'

export const withBlock = (state: MessagesState, block: Block): MessagesState => {
  const { blocks, lone, begun } = state.story
  return tell(state, {
    blocks: mapSet(blocks, block.index, { block, order: begun }),
    lone: isTool(block) ? lone : block.index,
    begun: begun + 1,
  })
}

export function replaceBlock(state: MessagesState, block: Block): MessagesState {
  const open = mapGet(state.story.blocks, block.index)
  return open === undefined
    ? state
    : tell(state, { blocks: mapSet(state.story.blocks, block.index, { block, order: open.order }) })
}
