/** Blocks that are kept: two are read while a third one is written. */
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
 * Memory that a thread passes to another one with each batch, and uses again when the other has read it. A new one for each batch costs
 * several times as much as the copy: the C library merges freed chunks before each large allocation and clears what it returns, and V8
 * collects garbage for it.
 */
export class SharedBlocks {
  readonly #isRead: (mark: number) => boolean
  readonly #blocks: Block[] = []
  #last: Block | null = null

  /** `isRead`: whether the other thread has read a batch and all before it. */
  constructor(isRead: (mark: number) => boolean) {
    this.#isRead = isRead
  }

  /** Memory for a batch of so many bytes, which has the bytes of an earlier one. */
  take(bytes: number): SharedArrayBuffer {
    const at = this.#blocks.findIndex(({ mark }) => mark !== null && this.#isRead(mark))
    const free = at < 0 ? undefined : this.#blocks[at]
    const fits = free !== undefined && free.memory.byteLength >= bytes && free.memory.byteLength <= MAX_TIMES * bytes
    const block = fits ? free : { memory: new SharedArrayBuffer(Math.ceil(SPARE * bytes)), mark: null }
    block.mark = null
    if (at >= 0) this.#blocks[at] = block
    else if (this.#blocks.length < MAX_BLOCKS) this.#blocks.push(block)
    this.#last = block
    return block.memory
  }

  /** The block that was taken last is read with this mark. */
  passed(mark: number): void {
    if (this.#last !== null) this.#last.mark = mark
    this.#last = null
  }
}
