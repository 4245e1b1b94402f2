/** Blocks that are kept: one that is filled, and those that the other thread has not read yet after a stall. */
const MAX_BLOCKS = 4
/** Room for a batch that is a little larger than the one before. */
const SPARE = 1.25
/** A block that is so many times larger than needed is released. */
const MAX_TIMES = 8

interface Block {
  readonly memory: SharedArrayBuffer
  /** Null until it is passed on. */
  mark: number | null
}

/**
 * Memory that a thread passes to another one with each batch, and uses again when the other has copied it. It saves a
 * large allocation for each batch, before which the C library merges all chunks that were freed, and whose pages the system clears.
 */
export class SharedBlocks {
  readonly #isRead: (mark: number) => boolean
  #blocks: Block[] = []
  #last: Block | null = null

  /** `isRead`: whether the other thread has copied a batch and all before it. */
  constructor(isRead: (mark: number) => boolean) {
    this.#isRead = isRead
  }

  /** Memory for a batch of so many bytes, which may have the bytes of an earlier one. */
  take(bytes: number): SharedArrayBuffer {
    const isFree = ({ mark }: Block) => mark !== null && this.#isRead(mark)
    const fits = ({ memory }: Block) => memory.byteLength >= bytes && memory.byteLength <= MAX_TIMES * bytes
    const free = this.#blocks.filter(isFree)
    const block = free.find(fits) ?? { memory: new SharedArrayBuffer(Math.ceil(SPARE * bytes)), mark: null }
    // Free ones that do not fit are of another load: batches change little from one to the next.
    const kept = this.#blocks.filter((each) => each !== block && (fits(each) || !free.includes(each)))
    block.mark = null
    this.#blocks = [block, ...kept].slice(0, MAX_BLOCKS)
    this.#last = block
    return block.memory
  }

  /** The block that was taken last has been read with this mark. */
  passed(mark: number): void {
    if (this.#last !== null) this.#last.mark = mark
    this.#last = null
  }
}
