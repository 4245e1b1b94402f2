import { BaseEdge, type EdgeProps } from '@xyflow/react'

/** Distance of the line from the objects around which it leads. */
const ABOVE = 40
const BESIDE = 14
const CORNER = 8

/** The way of the response: from the last handler over the filters, in reverse order, back to the entry. */
export function ResponseEdge({ id, sourceX, sourceY, targetX, targetY, markerEnd }: EdgeProps) {
  const top = Math.min(sourceY, targetY) - ABOVE
  const [right, left] = [sourceX + BESIDE, targetX - BESIDE]
  const path = [
    `M ${sourceX} ${sourceY} H ${right - CORNER}`,
    `Q ${right} ${sourceY} ${right} ${sourceY - CORNER} V ${top + CORNER}`,
    `Q ${right} ${top} ${right - CORNER} ${top} H ${left + CORNER}`,
    `Q ${left} ${top} ${left} ${top + CORNER} V ${targetY - CORNER}`,
    `Q ${left} ${targetY} ${left + CORNER} ${targetY} H ${targetX}`,
  ].join(' ')
  return (
    <BaseEdge
      id={id}
      path={path}
      label="response"
      labelX={(left + right) / 2}
      labelY={top}
      {...(markerEnd !== undefined && { markerEnd })}
    />
  )
}
