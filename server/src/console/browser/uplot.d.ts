// The library beside this script, which `assets.ts` serves from its package.
import uPlot from 'uplot';
// oxlint-disable-next-line import/no-default-export -- what it describes has one
export default uPlot;
