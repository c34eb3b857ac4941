// Types the library that `assets.ts` serves next to this script.
import uPlot from 'uplot';
// oxlint-disable-next-line import/no-default-export -- what it describes has one
export default uPlot;
