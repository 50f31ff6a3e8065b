import { mapGet, mapSet, mapValues } from '../../../collections/sorted-map.ts'
import { type Block, type MessagesState, updateProgress } from './state.ts'

export const findBlock = ({ progress }: MessagesState, index: string): Block | undefined =>
  mapGet(progress.blocks, index)?.block

/** Returns the open blocks in the order in which they began. O(n log n). */
export const openBlocks = ({ progress }: MessagesState): readonly Block[] =>
  mapValues(progress.blocks)
    .sort((a, b) => a.order - b.order)
    .map(({ block }) => block)

const isTool = ({ kind }: Block): boolean => kind === 'call' || kind === 'server'

export const withBlock = (state: MessagesState, block: Block): MessagesState => {
  const { blocks, lone, blockCount } = state.progress
  return updateProgress(state, {
    blocks: mapSet(blocks, block.index, { block, order: blockCount }),
    lone: isTool(block) ? lone : block.index,
    blockCount: blockCount + 1,
  })
}

export function replaceBlock(state: MessagesState, block: Block): MessagesState {
  const open = mapGet(state.progress.blocks, block.index)
  return open === undefined
    ? state
    : updateProgress(state, { blocks: mapSet(state.progress.blocks, block.index, { block, order: open.order }) })
}
